"""The model providers and the block of a ModelConfig that each of them has."""

from __future__ import annotations

from typing import Final

PROVIDER_BLOCKS: Final = {
    "OpenAI": "openAI",
    "Anthropic": "anthropic",
    "AzureOpenAI": "azureOpenAI",
    "Ollama": "ollama",
    "Gemini": "gemini",
    "GeminiVertexAI": "geminiVertexAI",
    "AnthropicVertexAI": "anthropicVertexAI",
    "Bedrock": "bedrock",
    "SAPAICore": "sapAICore",
    "Foundry": "foundry",
}
"""Each provider's block in `spec` (facts 2.1)."""
