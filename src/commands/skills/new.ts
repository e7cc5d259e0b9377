import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { createSkill } from '@apprentice/contracts/skills/scaffold.ts'
import { connect, type ConnectionOptions, print, withConnection } from '../terminal/connection.ts'
import { reportUsage, withUsageCode } from '../terminal/usage-problem.ts'

interface NewOptions extends ConnectionOptions {
  readonly summary?: string
  readonly recordingContext?: string
  readonly root?: string
}

export function addNewSkill(skills: Command): void {
  withConnection(
    withUsageCode(skills.command('new <skill>'))
      .description('make the folder of a new skill and put it into the registry')
      .option('--summary <text>', 'what it does')
      .option('--recording-context <file>', 'a recording export it is to be written from')
      .option('--root <folder>', 'the root it goes into (default: the home)'),
  ).action((skill: string, options: NewOptions) => reportUsage(() => make(skill, options)))
}

async function make(skill_id: string, options: NewOptions): Promise<void> {
  const { summary, recordingContext, root } = options
  const recording_context =
    recordingContext === undefined ? undefined : await readFile(recordingContext, 'utf8')
  const body = { skill_id, summary, recording_context, root }
  const made = await connect(options)(createSkill, { body })
  print(options, made, () => [...made.files.map((file) => `made ${file}`), made.next].join('\n'))
}
