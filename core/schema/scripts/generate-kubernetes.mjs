// Filled in with the generator.
