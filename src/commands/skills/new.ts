import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { createSkill } from '@apprentice/contracts/skills/scaffold.ts'
import { hintCommand } from '../terminal/command-hint.ts'
import { connect, type ConnectionOptions, printResult, withConnection } from '../terminal/connection.ts'
import { reportUsageFailures, withUsageExitCode } from '../terminal/usage-error.ts'

interface NewOptions extends ConnectionOptions {
  readonly summary?: string
  readonly recordingContext?: string
  readonly root?: string
}

export function addNewSkill(skills: Command): void {
  withConnection(
    withUsageExitCode(skills.command('new <skill>'))
      .description('create a skill folder and register it')
      .option('--summary <text>', 'what it does')
      .option('--recording-context <file>', 'recording export to write the skill from')
      .option('--root <folder>', 'skill root (default: the home)'),
  ).action((skill: string, options: NewOptions) => reportUsageFailures(() => create(skill, options)))
}

async function create(skill_id: string, options: NewOptions): Promise<void> {
  const { summary, recordingContext, root } = options
  const recording_context = recordingContext === undefined ? undefined : await readFile(recordingContext, 'utf8')
  const body = { skill_id, summary, recording_context, root }
  const created = await connect(options)(createSkill, { body })
  printResult(options, created, () =>
    [
      ...created.files.map((file) => `created ${file}`),
      'Fill in SKILL.md and scripts/run.js, then check the skill with:',
      `  ${hintCommand('skills validate')} ${skill_id} --dry-run`,
    ].join('\n'),
  )
}
