import type { Command } from 'commander'
import { ApiFailure } from '@apprentice/contracts/client.ts'
import { report } from './connection.ts'
import { Interrupted } from './conversation.ts'
import { exitCodes } from './exit-codes.ts'

/** What was asked for cannot be done as it was said; nothing was done. */
export class UsageProblem extends Error {}

/** Refusals that another way of asking would avoid. */
const askedWrongly: ReadonlySet<string> = new Set([
  'INVALID_REQUEST',
  'ABILITY_NOT_FOUND',
  'RECIPE_INPUT_MISSING',
  'RECIPE_INPUT_INVALID',
  'POLICY_DENIED',
  'PRACTICE_GOAL_UNCLEAR',
  'RECIPE_COMPAT_OUT_OF_RANGE',
  'SKILL_ID_INVALID',
  'ARTIFACT_NOT_FOUND',
  'DEVICE_NOT_FOUND',
  'MULTIPLE_DEVICES_DEVICE_ID_REQUIRED',
  'SKILL_NOT_FOUND',
  'SKILL_SCRIPT_NOT_FOUND',
  'SKILL_VALIDATION_FAILED',
  'SKILL_AGENT_CLI_UNAVAILABLE',
])

/** As `report`, but who asked wrongly gets an exit code of their own. */
export async function reportUsage(work: () => Promise<void>): Promise<void> {
  let exitCode: number | undefined
  await report(async () => {
    try {
      await work()
    } catch (error) {
      exitCode = codeFor(error)
      throw error
    }
  })
  if (exitCode !== undefined) process.exitCode = exitCode
}

/** Makes what the command line itself refuses end with the same code. */
export function withUsageCode(command: Command): Command {
  return command.exitOverride(({ exitCode }) => {
    process.exit(exitCode === exitCodes.ok ? exitCodes.ok : exitCodes.usage)
  })
}

function codeFor(error: unknown): number {
  if (error instanceof Interrupted) return exitCodes.interrupted
  const wrongly = error instanceof ApiFailure && askedWrongly.has(error.code)
  return wrongly || error instanceof UsageProblem ? exitCodes.usage : exitCodes.problem
}
