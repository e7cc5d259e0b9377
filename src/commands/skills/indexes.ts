import type { Command } from 'commander'
import { checkSkillIndexes, writeSkillIndexes } from '@apprentice/contracts/skills/validate.ts'
import { connect, type ConnectionOptions, printResult, withConnection } from '../terminal/connection.ts'
import { EXIT_CODES } from '../terminal/exit-codes.ts'
import { reportUsageFailures, withUsageExitCode } from '../terminal/usage-error.ts'

interface IndexOptions extends ConnectionOptions {
  readonly check?: boolean
  readonly root?: string
  readonly skipBroken?: boolean
}

export function addIndexSkills(skills: Command): void {
  withConnection(
    withUsageExitCode(skills.command('index'))
      .description('write the registry and its indexes from the skill.json files')
      .option('--check', 'only check whether they are up to date; exit code 1 if not')
      .option('--root <folder>', 'skill root (default: the home)')
      .option('--skip-broken', 'skip broken skills instead of failing'),
  ).action((options: IndexOptions) =>
    reportUsageFailures(() => (options.check === true ? check(options) : write(options))),
  )
}

async function check(options: IndexOptions): Promise<void> {
  const { roots } = await connect(options)(checkSkillIndexes)
  const chosen = roots.filter(({ root }) => options.root === undefined || options.root === root)
  printResult(options, { roots: chosen }, () =>
    chosen.map(({ root, fresh, reason }) => `${root}: ${fresh ? 'up to date' : reason}`).join('\n'),
  )
  if (chosen.some(({ fresh }) => !fresh)) process.exitCode = EXIT_CODES.failure
}

async function write(options: IndexOptions): Promise<void> {
  const body = { root: options.root, skip_broken: options.skipBroken === true }
  const written = await connect(options)(writeSkillIndexes, { body })
  printResult(options, written, () =>
    [
      `${written.totalSkills} skills in ${written.files.length} files and ${written.registryPath}`,
      ...written.skipped.map(({ path, reason }) => `skipped ${path}: ${reason}`),
    ].join('\n'),
  )
}
