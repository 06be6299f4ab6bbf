"""Items without their surroundings: masks by several cutters, and clean pictures on white."""
