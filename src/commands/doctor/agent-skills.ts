import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { codexHome, readConfig } from '../../config/config.ts'
import {
  type AgentSkillPlaces,
  AgentSkillsProblem,
  installGuides,
  type InstallReport,
  linkedFolders,
  listGuides,
  packagedGuides,
  staleness,
} from '../../files/agent-skills.ts'
import { agentSkillsFolder } from '../../config/paths.ts'
import { version } from '../../config/version.ts'
import { print, report } from '../terminal/connection.ts'
import type { Check } from './check.ts'
import { exitCodes } from '../terminal/exit-codes.ts'

interface AgentSkillOptions {
  readonly agent?: 'claude' | 'codex' | 'agents'
  readonly into?: string
  readonly source: string
  readonly json?: boolean
}

/** Guides for agents that write skills; no daemon is asked. */
export function addAgentSkillsCommand(program: Command): void {
  const guides = program
    .command('agent-skills')
    .description('guides that teach an agent to work with Apprentice')
  adding(guides, 'list', 'the guides that are in place', list)
  adding(guides, 'install', "put the guides into an agent's folder of skills", install)
  adding(guides, 'update', 'bring them to the state of this program, wherever they are', update)
}

function adding(
  parent: Command,
  name: string,
  description: string,
  work: (options: AgentSkillOptions) => Promise<void>,
): void {
  parent
    .command(name)
    .description(description)
    .addOption(
      new Option(
        '--agent <agent>',
        'whose folder (default: agents, which several agents read)',
      ).choices(['claude', 'codex', 'agents']),
    )
    .option('--into <folder>', 'a folder of skills, wherever it is')
    .addOption(new Option('--source <folder>').default(agentSkillsFolder).hideHelp())
    .option('--json', 'print JSON for programs')
    .action((options: AgentSkillOptions) => report(() => work(options)))
}

async function list(options: AgentSkillOptions): Promise<void> {
  const into = folderOf(options)
  const skills = await listGuides(placesOf(options), into)
  const packaged = await packagedGuides(options.source)
  const reply = { skills, count: skills.length, installedDir: into, packaged }
  print(options, reply, () =>
    packaged
      .map(
        (name) => `${skills.some((one) => one.name === name) ? 'in place' : 'not there'}  ${name}`,
      )
      .join('\n'),
  )
}

async function install(options: AgentSkillOptions): Promise<void> {
  await put(options, [folderOf(options)])
}

/** Without a folder named: all that were ever installed into. */
async function update(options: AgentSkillOptions): Promise<void> {
  const named = options.agent !== undefined || options.into !== undefined
  const known = named ? [] : await linkedFolders(placesOf(options).store)
  await put(options, known.length === 0 ? [folderOf(options)] : known)
}

async function put(options: AgentSkillOptions, folders: readonly string[]): Promise<void> {
  const reports: (InstallReport & { readonly installedDir: string })[] = []
  for (const folder of folders) {
    const done = await installGuides(placesOf(options), folder).catch((error: unknown) => {
      if (!(error instanceof AgentSkillsProblem)) throw error
      throw new Error(`${error.message} (${error.code})`, { cause: error })
    })
    reports.push({ ...done, installedDir: folder })
  }
  print(options, { folders: reports }, () => reports.map(words).join('\n'))
  if (reports.some(({ refused }) => refused.length > 0)) process.exitCode = exitCodes.problem
}

function words(done: InstallReport & { readonly installedDir: string }): string {
  const { installed, removed, refused, installedDir } = done
  return [
    `${installed.length} in ${installedDir}: ${installed.map(({ name }) => name).join(', ')}`,
    ...removed.map((name) => `removed ${name}`),
    ...refused.map(({ name, reason }) => `left ${name} alone: ${reason}`),
  ].join('\n')
}

/** Warns when what was installed is not what this program would install. */
export async function checkAgentSkills(home: string, source = agentSkillsFolder): Promise<Check> {
  const id = 'host.agent-skills.staleness'
  const problems = await staleness({ source, store: join(home, 'agent-skills'), version })
  if (problems === undefined) {
    return { id, status: 'pass', summary: 'Agent-skills not yet installed.' }
  }
  if (problems.length === 0) return { id, status: 'pass', summary: `version ${version}` }
  return {
    id,
    status: 'warn',
    summary: `AGENT_SKILLS_STALE: ${problems.join('; ')}`,
    fix: 'apprentice agent-skills update',
  }
}

const placesOf = ({ source }: AgentSkillOptions): AgentSkillPlaces => ({
  source: resolve(source),
  store: join(readConfig().home, 'agent-skills'),
  version,
})

function folderOf({ agent, into }: AgentSkillOptions): string {
  if (into !== undefined) return resolve(into)
  switch (agent ?? 'agents') {
    case 'claude':
      return join(homedir(), '.claude', 'skills')
    case 'codex':
      return join(codexHome() ?? join(homedir(), '.codex'), 'skills')
    case 'agents':
      return join(homedir(), '.agents', 'skills')
  }
}
