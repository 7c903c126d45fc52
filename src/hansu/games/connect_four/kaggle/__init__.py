"""A player for Kaggle's ConnectX as one file."""
