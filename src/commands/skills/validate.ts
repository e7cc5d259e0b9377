import type { Command } from 'commander'
import { z } from 'zod'
import { ApiFailure } from '@apprentice/contracts/client.ts'
import {
  SkillFailure,
  validateSkill,
  validateSkills,
} from '@apprentice/contracts/skills/validate.ts'
import { connect, type ConnectionOptions, print, withConnection } from '../terminal/connection.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { reportUsage, UsageProblem, withUsageCode } from '../terminal/usage-problem.ts'

interface ValidateOptions extends ConnectionOptions {
  readonly all?: boolean
  readonly dryRun?: boolean
  readonly root?: string
}

export function addValidateSkills(skills: Command): void {
  withConnection(
    withUsageCode(skills.command('validate [skill]'))
      .description('whether a skill is whole; exit code 1 when it is not')
      .option('--all', 'every skill, and whether the indexes are up to date')
      .option('--dry-run', 'also judge the payload of every artifact')
      .option('--root <folder>', 'with --all: only this root'),
  ).action((skill: string | undefined, options: ValidateOptions) =>
    reportUsage(() => validate(skill, options)),
  )
}

async function validate(skillId: string | undefined, options: ValidateOptions): Promise<void> {
  if (options.all !== true && skillId === undefined) {
    throw new UsageProblem('Name a skill, or say --all. (USAGE)')
  }
  const call = connect(options)
  const dry_run = options.dryRun === true
  try {
    if (options.all === true) {
      const body = { dry_run, root: options.root }
      const done = await call(validateSkills, { body })
      print(options, done, () =>
        [
          `${done.totalSkills} skills, all whole.`,
          ...done.unregistered.map((folder) => `No registry lists ${folder}`),
        ].join('\n'),
      )
    } else {
      const params = { skillId: skillId ?? '' }
      const done = await call(validateSkill, { params, body: { dry_run } })
      const skipped = done.dryRun === undefined ? '' : ` Payload: ${done.dryRun.reason}.`
      print(options, done, () => `${done.skill.id} is whole.${skipped}`)
    }
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.code !== 'SKILL_VALIDATION_FAILED') throw error
    tell(error, options)
  }
}

/** What is wrong is the answer, not a failure of the question. */
function tell({ code, message, details }: ApiFailure, options: ConnectionOptions): void {
  const failures = z.array(SkillFailure).safeParse(details['failures'])
  print(options, { valid: false, code, message, details }, () =>
    [
      message,
      ...(failures.success
        ? failures.data.map((one) => `- ${one.skillId}: ${one.message} ${words(one.details ?? {})}`)
        : [words(details)]),
    ].join('\n'),
  )
  process.exitCode = exitCodes.problem
}

const words = (details: Readonly<Record<string, unknown>>): string =>
  Object.keys(details).length === 0 ? '' : JSON.stringify(details)
