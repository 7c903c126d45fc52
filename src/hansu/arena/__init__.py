"""Who can play, how they play each other, and what the results say."""
