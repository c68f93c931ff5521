"""Front ends: they parse what comes in and format what goes out."""
