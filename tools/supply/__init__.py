"""What the project is made of: locked versions with hashes, licences, and a bill of materials."""
