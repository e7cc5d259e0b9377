import type { Command } from 'commander'
import type { z } from 'zod'
import { getSkill, listSkills, searchSkills } from '@apprentice/contracts/skills/registry.ts'
import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'
import { connect, type ConnectionOptions, printResult, withConnection } from '../terminal/connection.ts'
import { formatTable } from '../terminal/table.ts'
import { reportUsageFailures, UsageError, withUsageExitCode } from '../terminal/usage-error.ts'

interface SearchOptions extends ConnectionOptions {
  readonly app?: string
  readonly intent?: string
}

export function addFindSkills(skills: Command): void {
  withConnection(skills.command('list', { isDefault: true }).description('list all skills (the default)')).action(
    (options: ConnectionOptions) => reportUsageFailures(() => list(options)),
  )
  withConnection(withUsageExitCode(skills.command('show <skill>')).description('show one skill in detail')).action(
    (skillId: string, options: ConnectionOptions) => reportUsageFailures(() => show(skillId, options)),
  )
  withConnection(
    withUsageExitCode(skills.command('search [words...]'))
      .description('find skills, best match first')
      .option('--app <id>', 'application id')
      .option('--intent <intent>', 'intent'),
  ).action((words: string[], options: SearchOptions) => reportUsageFailures(() => search(words.join(' '), options)))
}

async function list(options: ConnectionOptions): Promise<void> {
  const listed = await connect(options)(listSkills)
  printResult(options, listed, () => formatSkillList(listed))
}

async function show(skillId: string, options: ConnectionOptions): Promise<void> {
  const found = await connect(options)(getSkill, { params: { skillId } })
  printResult(options, found, () => formatSkill(found))
}

async function search(keyword: string, options: SearchOptions): Promise<void> {
  const { app, intent } = options
  const query = { app, intent, ...(keyword === '' ? {} : { keyword }) }
  if (Object.values(query).every((value) => value === undefined)) {
    throw new UsageError('Name what to search for: words, --app or --intent.')
  }
  const found = await connect(options)(searchSkills, { query })
  printResult(options, found, () => (found.skills.length === 0 ? 'No skill matches.' : formatSkills(found.skills)))
}

function formatSkillList({ skills, count, roots, problems }: z.output<typeof listSkills.reply>): string {
  return [
    skills.length === 0 ? 'No skills found.' : formatSkills(skills),
    ...(count > skills.length ? [`${count - skills.length} more are not listed.`] : []),
    ...roots.flatMap(({ root, problem }) => (problem === undefined ? [] : [`${root}: ${problem}`])),
    ...problems.map(({ root, position, skill_id, reason, skipped }) => {
      const what = skill_id ?? `entry ${position}`
      return `${root}: ${what}${skipped ? ' is skipped' : ''}: ${reason}`
    }),
  ].join('\n')
}

const formatSkills = (skills: readonly SkillEntry[]): string =>
  formatTable([
    ['SKILL', 'APP', 'SUMMARY'],
    ...skills.map(({ id, applicationId, summary }) => [
      id,
      applicationId,
      summary.split('\n', 1)[0]?.slice(0, 100) ?? '',
    ]),
  ])

function formatSkill({ skill, root, type, description }: z.output<typeof getSkill.reply>): string {
  const rows = [
    ['id', skill.id],
    ['app', skill.applicationId],
    ['intent', skill.intent],
    ['type', type ?? 'unknown'],
    ['summary', skill.summary],
    ['keywords', (skill.keywords ?? []).join(', ')],
    ['root', root],
    ['path', skill.path],
    ['scripts', skill.scripts.join(', ')],
    ['artifacts', skill.artifacts.join(', ')],
    ['contract', skill.contract === undefined ? '' : JSON.stringify(skill.contract)],
    ['agent', skill.agent === undefined ? '' : JSON.stringify(skill.agent)],
  ]
  const fields = formatTable(rows.filter(([, value]) => value !== ''))
  return description === undefined ? fields : `${fields}\n\n${description}`
}
