import type { Command } from 'commander'
import { ApiFailure } from '@apprentice/contracts/client.ts'
import { reportFailures } from './connection.ts'
import { Interrupted } from './conversation.ts'
import { EXIT_CODES } from './exit-codes.ts'

/** The request was invalid; nothing was done. */
export class UsageError extends Error {}

/** Failure codes that mean an invalid request. */
const USAGE_ERROR_CODES: ReadonlySet<string> = new Set([
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
  'SCENE_NOT_PLANNED',
  'SCENE_PROFILE_NOT_FOUND',
])

/** As `reportFailures`, with a separate exit code for invalid requests. */
export async function reportUsageFailures(work: () => Promise<void>): Promise<void> {
  let exitCode: number | undefined
  await reportFailures(async () => {
    try {
      await work()
    } catch (error) {
      exitCode = chooseExitCode(error)
      throw error
    }
  })
  if (exitCode !== undefined) process.exitCode = exitCode
}

/** Gives the errors of the command-line parser the exit code of invalid requests. */
export function withUsageExitCode(command: Command): Command {
  return command.exitOverride(({ exitCode }) => {
    process.exit(exitCode === EXIT_CODES.ok ? EXIT_CODES.ok : EXIT_CODES.usage)
  })
}

function chooseExitCode(error: unknown): number {
  if (error instanceof Interrupted) return EXIT_CODES.interrupted
  const isInvalid = error instanceof ApiFailure && USAGE_ERROR_CODES.has(error.code)
  return isInvalid || error instanceof UsageError ? EXIT_CODES.usage : EXIT_CODES.failure
}
