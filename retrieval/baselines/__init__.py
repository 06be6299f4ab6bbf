"""Query encoders that the paper compares with, over the same towers, behind the same protocol as FashionAM."""
