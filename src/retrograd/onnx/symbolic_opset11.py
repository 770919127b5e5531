"""Where libraries look for helpers of an export, which is never made."""

__all__: list[str] = []
