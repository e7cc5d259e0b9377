import type { AbilityKind } from '@apprentice/contracts/abilities/ability.ts'

/** The tools that a run may use without asking, as agents spell them: programs, and tools of an MCP server. */
const RUN_TOOLS = ['Bash(apprentice:*)', 'mcp__apprentice__run_ability', 'mcp__apprentice__get_run']
const GUIDANCE_TOOLS = ['mcp__apprentice__verify_checkpoint']

/**
 * What OpenClaw reads about a skill. One of the programs is enough to run it. There is no install entry: the package is
 * in no public registry, and an entry would install whatever has its name there.
 */
const OPENCLAW = {
  runnable: {
    emoji: '📱',
    requires: { anyBins: ['apprentice', 'npx', 'curl'] },
    primaryEnv: 'APPRENTICE_TOKEN',
  },
  guidance: { emoji: '📘' },
} as const

const COMPATIBILITY =
  'Requires a running Apprentice daemon with a phone. Start it with `apprentice serve`, or with `npm start` in its folder.'

/** The frontmatter fields for the agent that reads a skill: the Agent Skills fields and the block of OpenClaw. */
export const buildAgentFields = (kind: AbilityKind): Readonly<Record<string, unknown>> => ({
  'allowed-tools': (kind === 'runnable' ? RUN_TOOLS : GUIDANCE_TOOLS).join(' '),
  ...(kind === 'runnable' && { compatibility: COMPATIBILITY }),
  metadata: { openclaw: OPENCLAW[kind] },
})
