"""Raw arrays in, raw arrays out: no Tensor is known here."""
