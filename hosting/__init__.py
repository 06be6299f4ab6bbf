"""Where the shop runs for others: the folder of a Space, and what it must be before it is pushed"""
