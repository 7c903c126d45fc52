"""Players for Kaggle's ConnectX, each exported as one file."""
