import type { Command } from 'commander'
import { checkSkillIndexes, writeSkillIndexes } from '@apprentice/contracts/skills/validate.ts'
import { connect, type ConnectionOptions, print, withConnection } from '../terminal/connection.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { reportUsage, withUsageCode } from '../terminal/usage-problem.ts'

interface IndexOptions extends ConnectionOptions {
  readonly check?: boolean
  readonly root?: string
  readonly skipBroken?: boolean
}

export function addIndexSkills(skills: Command): void {
  withConnection(
    withUsageCode(skills.command('index'))
      .description('write the registry and its indexes from the skill.json of every folder')
      .option('--check', 'only tell whether they are up to date; exit code 1 when not')
      .option('--root <folder>', 'the root to write (default: the home)')
      .option('--skip-broken', 'leave out what is broken instead of refusing'),
  ).action((options: IndexOptions) =>
    reportUsage(() => (options.check === true ? check(options) : write(options))),
  )
}

async function check(options: IndexOptions): Promise<void> {
  const { roots } = await connect(options)(checkSkillIndexes)
  const chosen = roots.filter(({ root }) => options.root === undefined || options.root === root)
  print(options, { roots: chosen }, () =>
    chosen.map(({ root, fresh, reason }) => `${root}: ${fresh ? 'fresh' : reason}`).join('\n'),
  )
  if (chosen.some(({ fresh }) => !fresh)) process.exitCode = exitCodes.problem
}

async function write(options: IndexOptions): Promise<void> {
  const body = { root: options.root, skip_broken: options.skipBroken === true }
  const written = await connect(options)(writeSkillIndexes, { body })
  print(options, written, () =>
    [
      `${written.totalSkills} skills in ${written.files.length} files and ${written.registryPath}`,
      ...written.skipped.map(({ path, reason }) => `left out ${path}: ${reason}`),
    ].join('\n'),
  )
}
