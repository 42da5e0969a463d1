"""Relations between English words, from WordNet 3.0 (see NOTICE).

`words.txt` is built by `scripts/thesaurus/build.py`. All words are stems, see `lexicon.stem`.
"""
