from hansu.cli import main

main()
