import type { Command } from 'commander'
import { z } from 'zod'
import { ApiFailure } from '@apprentice/contracts/client.ts'
import { SkillFailure, validateSkill, validateSkills } from '@apprentice/contracts/skills/validate.ts'
import { connect, type ConnectionOptions, printResult, withConnection } from '../terminal/connection.ts'
import { EXIT_CODES } from '../terminal/exit-codes.ts'
import { reportUsageFailures, UsageError, withUsageExitCode } from '../terminal/usage-error.ts'

interface ValidateOptions extends ConnectionOptions {
  readonly all?: boolean
  readonly dryRun?: boolean
  readonly root?: string
}

export function addValidateSkills(skills: Command): void {
  withConnection(
    withUsageExitCode(skills.command('validate [skill]'))
      .description('validate a skill; exit code 1 if it is invalid')
      .option('--all', 'validate every skill and the indexes')
      .option('--dry-run', 'also validate the payload of every artifact')
      .option('--root <folder>', 'with --all: only this skill root'),
  ).action((skill: string | undefined, options: ValidateOptions) => reportUsageFailures(() => validate(skill, options)))
}

async function validate(skillId: string | undefined, options: ValidateOptions): Promise<void> {
  if (options.all !== true && skillId === undefined) {
    throw new UsageError('Name a skill or use --all. (USAGE)')
  }
  const call = connect(options)
  const dry_run = options.dryRun === true
  try {
    if (options.all === true) {
      const body = { dry_run, root: options.root }
      const done = await call(validateSkills, { body })
      printResult(options, done, () =>
        [
          `${done.totalSkills} skills, all valid.`,
          ...done.unregistered.map((folder) => `not in a registry: ${folder}`),
        ].join('\n'),
      )
    } else {
      const params = { skillId: skillId ?? '' }
      const done = await call(validateSkill, { params, body: { dry_run } })
      const skipped = done.dryRun === undefined ? '' : ` Payload: ${done.dryRun.reason}.`
      printResult(options, done, () => `${done.skill.id} is valid.${skipped}`)
    }
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.code !== 'SKILL_VALIDATION_FAILED') throw error
    printFailures(error, options)
  }
}

/** Findings are the result of this command, so they go to stdout. */
function printFailures({ code, message, details }: ApiFailure, options: ConnectionOptions): void {
  const failures = z.array(SkillFailure).safeParse(details['failures'])
  printResult(options, { valid: false, code, message, details }, () =>
    [
      message,
      ...(failures.success
        ? failures.data.map((one) => `- ${one.skillId}: ${one.message} ${formatDetails(one.details ?? {})}`)
        : [formatDetails(details)]),
    ].join('\n'),
  )
  process.exitCode = EXIT_CODES.failure
}

const formatDetails = (details: Readonly<Record<string, unknown>>): string =>
  Object.keys(details).length === 0 ? '' : JSON.stringify(details)
