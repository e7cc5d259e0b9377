import type { Command } from 'commander'
import type { z } from 'zod'
import { getSkill, listSkills, searchSkills } from '@apprentice/contracts/skills/registry.ts'
import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'
import {
  connect,
  type ConnectionOptions,
  print,
  table,
  withConnection,
} from '../terminal/connection.ts'
import { reportUsage, UsageProblem, withUsageCode } from '../terminal/usage-problem.ts'

interface SearchOptions extends ConnectionOptions {
  readonly app?: string
  readonly intent?: string
}

export function addFindSkills(skills: Command): void {
  withConnection(
    skills.command('list', { isDefault: true }).description('every skill of every root'),
  ).action((options: ConnectionOptions) => reportUsage(() => list(options)))
  withConnection(
    withUsageCode(skills.command('show <skill>')).description('all there is to know of one'),
  ).action((skillId: string, options: ConnectionOptions) =>
    reportUsage(() => show(skillId, options)),
  )
  withConnection(
    withUsageCode(skills.command('search [words...]'))
      .description('skills that fit, the best first')
      .option('--app <id>', 'of this application')
      .option('--intent <intent>', 'with this intent'),
  ).action((words: string[], options: SearchOptions) =>
    reportUsage(() => search(words.join(' '), options)),
  )
}

async function list(options: ConnectionOptions): Promise<void> {
  const listed = await connect(options)(listSkills)
  print(options, listed, () => describeList(listed))
}

async function show(skillId: string, options: ConnectionOptions): Promise<void> {
  const found = await connect(options)(getSkill, { params: { skillId } })
  print(options, found, () => describe(found))
}

async function search(keyword: string, options: SearchOptions): Promise<void> {
  const { app, intent } = options
  const query = { app, intent, ...(keyword === '' ? {} : { keyword }) }
  if (Object.values(query).every((value) => value === undefined)) {
    throw new UsageProblem('Say what to look for: words, --app or --intent.')
  }
  const found = await connect(options)(searchSkills, { query })
  print(options, found, () =>
    found.skills.length === 0 ? 'No skill fits.' : skillTable(found.skills),
  )
}

function describeList({
  skills,
  count,
  roots,
  problems,
}: z.output<typeof listSkills.reply>): string {
  return [
    skills.length === 0 ? 'There is no skill.' : skillTable(skills),
    ...(count > skills.length ? [`${count - skills.length} more are not shown.`] : []),
    ...roots.flatMap(({ root, problem }) => (problem === undefined ? [] : [`${root}: ${problem}`])),
    ...problems.map(({ root, position, skill_id, reason, skipped }) => {
      const what = skill_id ?? `entry ${position}`
      return `${root}: ${what}${skipped ? ' is left out' : ''}: ${reason}`
    }),
  ].join('\n')
}

const skillTable = (skills: readonly SkillEntry[]): string =>
  table([
    ['SKILL', 'APP', 'SUMMARY'],
    ...skills.map(({ id, applicationId, summary }) => [
      id,
      applicationId,
      summary.split('\n', 1)[0]?.slice(0, 100) ?? '',
    ]),
  ])

function describe({ skill, root, type, description }: z.output<typeof getSkill.reply>): string {
  const rows = [
    ['id', skill.id],
    ['app', skill.applicationId],
    ['intent', skill.intent],
    ['type', type ?? 'not said'],
    ['summary', skill.summary],
    ['keywords', (skill.keywords ?? []).join(', ')],
    ['root', root],
    ['path', skill.path],
    ['scripts', skill.scripts.join(', ')],
    ['artifacts', skill.artifacts.join(', ')],
    ['contract', skill.contract === undefined ? '' : JSON.stringify(skill.contract)],
    ['agent', skill.agent === undefined ? '' : JSON.stringify(skill.agent)],
  ]
  const told = table(rows.filter(([, value]) => value !== ''))
  return description === undefined ? told : `${told}\n\n${description}`
}
