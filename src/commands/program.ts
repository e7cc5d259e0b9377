import type { Command } from 'commander'
import { createBaseProgram } from './base-program.ts'
import { CLIENT_COMMANDS, type LoadCommand } from './client-commands.ts'

/** Commands that use the daemon's code or the simulated phone, or describe all commands. */
const DAEMON_COMMANDS = {
  'agent-skills': async () => (await import('./doctor/agent-skills.ts')).addAgentSkillsCommand,
  serve: async () => (await import('./serve.ts')).addServeCommand,
  host: async () => (await import('./host.ts')).addHostCommand,
  phone: async () => (await import('./phone.ts')).addPhoneCommand,
  doctor: async () => (await import('./doctor/doctor.ts')).addDoctorCommand,
  backup: async () => (await import('./backup/backup.ts')).addBackupCommand,
  replicate: async () => (await import('./backup/replicate.ts')).addReplicateCommand,
  restore: async () => (await import('./backup/restore.ts')).addRestoreCommand,
  openapi: async () => (await import('./openapi.ts')).addOpenApiCommand,
  completion: async () => {
    const { addCompletionCommand } = await import('./completion/completion.ts')
    return (program: Command) => addCompletionCommand(program, () => createProgram())
  },
} satisfies Readonly<Record<string, LoadCommand>>

const COMMANDS = { ...CLIENT_COMMANDS, ...DAEMON_COMMANDS }

/** The commands by the group under which the help lists them. */
const COMMAND_GROUPS: Readonly<Record<string, readonly (keyof typeof COMMANDS)[]>> = {
  'Teach and run:': ['teach', 'practise', 'run', 'abilities'],
  'Phones:': ['devices', 'exec', 'snapshot', 'screenshot', 'recordings', 'phone', 'hosts', 'host'],
  'Skills and recipes:': ['skills', 'scenes', 'recipes', 'agent-skills', 'mcp'],
  'Daemon:': [
    'serve',
    'open',
    'doctor',
    'token',
    'events',
    'logins',
    'policy',
    'connectors',
    'approvals',
    'documents',
    'vault',
    'backup',
    'replicate',
    'restore',
    'openapi',
    'completion',
  ],
}

/**
 * The command line. Only the requested command is loaded, because most commands need little of the daemon's code; all
 * are loaded if it is absent or unknown.
 */
export async function createProgram(requested?: string): Promise<Command> {
  const program = createBaseProgram()
  const isKnown = Object.hasOwn(COMMANDS, requested ?? '')
  for (const [heading, names] of Object.entries(COMMAND_GROUPS)) {
    program.commandsGroup(heading)
    for (const name of names) {
      if (isKnown && name !== requested) continue
      const add = await COMMANDS[name]()
      add(program)
    }
  }
  return program
}
