"""The engines that come along."""
