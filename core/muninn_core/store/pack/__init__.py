"""Knowledge packs: curated knowledge with a name, a version and checksums (docs/formats/pack.md)."""
