import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { readCodexHome, readConfig } from '../../config/config.ts'
import {
  type AgentSkillPlaces,
  AgentSkillsProblem,
  installGuides,
  type InstallReport,
  listLinkedFolders,
  listGuides,
  listPackagedGuides,
  findGuideProblems,
} from '../../files/agent-skills.ts'
import { agentSkillsFolder } from '../../config/paths.ts'
import { version } from '../../config/version.ts'
import { hintCommand } from '../terminal/command-hint.ts'
import { printResult, reportFailures } from '../terminal/connection.ts'
import type { Check } from './check.ts'
import { EXIT_CODES } from '../terminal/exit-codes.ts'

interface AgentSkillOptions {
  readonly agent?: 'claude' | 'codex' | 'agents'
  readonly into?: string
  readonly source: string
  readonly json?: boolean
}

/** Guides for agents that write skills. Works without a daemon. */
export function addAgentSkillsCommand(program: Command): void {
  const guides = program
    .command('agent-skills')
    .summary('install guides for agents')
    .description('Lists, installs and updates the guides that teach agents to use Apprentice.')
  addGuideCommand(guides, 'list', 'list the guides and whether they are installed', list)
  addGuideCommand(guides, 'install', "install the guides into an agent's skill folder", install)
  addGuideCommand(guides, 'update', 'update the installed guides to this version', update)
}

function addGuideCommand(
  parent: Command,
  name: string,
  description: string,
  work: (options: AgentSkillOptions) => Promise<void>,
): void {
  parent
    .command(name)
    .description(description)
    .addOption(
      new Option('--agent <agent>', 'the agent (default: agents, a folder that several agents read)').choices([
        'claude',
        'codex',
        'agents',
      ]),
    )
    .option('--into <folder>', 'another skill folder')
    .addOption(new Option('--source <folder>').default(agentSkillsFolder).hideHelp())
    .option('--json', 'print JSON')
    .action((options: AgentSkillOptions) => reportFailures(() => work(options)))
}

async function list(options: AgentSkillOptions): Promise<void> {
  const into = resolveFolder(options)
  const skills = await listGuides(resolvePlaces(options), into)
  const packaged = await listPackagedGuides(options.source)
  const reply = { skills, count: skills.length, installedDir: into, packaged }
  printResult(options, reply, () =>
    packaged
      .map((name) => `${skills.some((one) => one.name === name) ? 'installed    ' : 'not installed'}  ${name}`)
      .join('\n'),
  )
}

async function install(options: AgentSkillOptions): Promise<void> {
  await installInto(options, [resolveFolder(options)])
}

/** Without a named folder: every folder that has the guides. */
async function update(options: AgentSkillOptions): Promise<void> {
  const named = options.agent !== undefined || options.into !== undefined
  const known = named ? [] : await listLinkedFolders(resolvePlaces(options).store)
  await installInto(options, known.length === 0 ? [resolveFolder(options)] : known)
}

async function installInto(options: AgentSkillOptions, folders: readonly string[]): Promise<void> {
  const reports: (InstallReport & { readonly installedDir: string })[] = []
  for (const folder of folders) {
    const done = await installGuides(resolvePlaces(options), folder).catch((error: unknown) => {
      if (!(error instanceof AgentSkillsProblem)) throw error
      throw new Error(`${error.message} (${error.code})`, { cause: error })
    })
    reports.push({ ...done, installedDir: folder })
  }
  printResult(options, { folders: reports }, () => reports.map(formatReport).join('\n'))
  if (reports.some(({ refused }) => refused.length > 0)) process.exitCode = EXIT_CODES.failure
}

function formatReport(done: InstallReport & { readonly installedDir: string }): string {
  const { installed, removed, refused, installedDir } = done
  return [
    `${installed.length} in ${installedDir}: ${installed.map(({ name }) => name).join(', ')}`,
    ...removed.map((name) => `removed ${name}`),
    ...refused.map(({ name, reason }) => `skipped ${name}: ${reason}`),
  ].join('\n')
}

/** Warns if the installed guides are not those of this version. */
export async function checkAgentSkills(home: string, source = agentSkillsFolder): Promise<Check> {
  const id = 'host.agent-skills.staleness'
  const problems = await findGuideProblems({ source, store: join(home, 'agent-skills'), version })
  if (problems === undefined) {
    return { id, status: 'pass', summary: 'Agent-skills not yet installed.' }
  }
  if (problems.length === 0) return { id, status: 'pass', summary: `version ${version}` }
  return {
    id,
    status: 'warn',
    summary: `AGENT_SKILLS_STALE: ${problems.join('; ')}`,
    fix: `run ${hintCommand('agent-skills update')}`,
  }
}

const resolvePlaces = ({ source }: AgentSkillOptions): AgentSkillPlaces => ({
  source: resolve(source),
  store: join(readConfig().home, 'agent-skills'),
  version,
})

function resolveFolder({ agent, into }: AgentSkillOptions): string {
  if (into !== undefined) return resolve(into)
  switch (agent ?? 'agents') {
    case 'claude':
      return join(homedir(), '.claude', 'skills')
    case 'codex':
      return join(readCodexHome() ?? join(homedir(), '.codex'), 'skills')
    case 'agents':
      return join(homedir(), '.agents', 'skills')
  }
}
