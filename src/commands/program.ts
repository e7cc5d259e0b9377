import { Command } from 'commander'
import { version } from '../config/version.ts'
import { styleText } from './terminal/styles.ts'
import { withUsageExitCode } from './terminal/usage-error.ts'

type LoadCommand = () => Promise<(program: Command, loadProgram: () => Promise<Command>) => void>

/** The commands by the group under which the help lists them. */
const COMMAND_GROUPS: Readonly<Record<string, Readonly<Record<string, LoadCommand>>>> = {
  'Teach and run:': {
    teach: async () => (await import('./teach/teach.ts')).addTeachCommand,
    practise: async () => (await import('./practise.ts')).addPractiseCommand,
    run: async () => (await import('./abilities/run.ts')).addRunCommand,
    abilities: async () => (await import('./abilities/abilities.ts')).addAbilitiesCommand,
  },
  'Phones:': {
    devices: async () => (await import('./devices.ts')).addDevicesCommand,
    exec: async () => (await import('./exec.ts')).addExecCommand,
    snapshot: async () => (await import('./snapshot.ts')).addSnapshotCommand,
    screenshot: async () => (await import('./screenshot.ts')).addScreenshotCommand,
    recordings: async () => (await import('./recordings.ts')).addRecordingsCommand,
  },
  'Skills and recipes:': {
    skills: async () => (await import('./skills/skills.ts')).addSkillsCommand,
    recipes: async () => (await import('./recipes.ts')).addRecipesCommand,
    'agent-skills': async () => (await import('./doctor/agent-skills.ts')).addAgentSkillsCommand,
    mcp: async () => (await import('./mcp.ts')).addMcpCommand,
  },
  'Daemon:': {
    serve: async () => (await import('./serve.ts')).addServeCommand,
    open: async () => (await import('./open.ts')).addOpenCommand,
    doctor: async () => (await import('./doctor/doctor.ts')).addDoctorCommand,
    token: async () => (await import('./token.ts')).addTokenCommand,
    events: async () => (await import('./events.ts')).addEventsCommand,
    logins: async () => (await import('./logins.ts')).addLoginsCommand,
    policy: async () => (await import('./policy.ts')).addPolicyCommand,
    backup: async () => (await import('./backup/backup.ts')).addBackupCommand,
    restore: async () => (await import('./backup/restore.ts')).addRestoreCommand,
    openapi: async () => (await import('./openapi.ts')).addOpenApiCommand,
    completion: async () => (await import('./completion/completion.ts')).addCompletionCommand,
  },
}

/**
 * The command line. Only the requested command is loaded, because most commands need little of the daemon's code; all
 * are loaded if it is absent or unknown.
 */
export async function createProgram(requested?: string): Promise<Command> {
  const program = new Command('apprentice')
    .description('Teach agents workflows on an Android phone.')
    .usage('[command] [options]')
    .version(version)
    .commandsGroup('Help:')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText('after', '\nEvery command explains its options with --help.')
    .configureHelp({
      styleTitle: (text) => styleText(text, 'bold'),
      styleCommandText: (text) => styleText(text, 'cyan'),
      styleSubcommandText: (text) => styleText(text, 'cyan'),
      styleOptionText: (text) => styleText(text, 'yellow'),
    })
    .configureOutput({ outputError: (text, write) => write(styleText(text, 'red', process.stderr)) })
  // Commands that are added below inherit this: every error of the parser means that nothing was done.
  withUsageExitCode(program)
  const groups = Object.entries(COMMAND_GROUPS)
  const isKnown = groups.some(([, commands]) => Object.keys(commands).includes(requested ?? ''))
  for (const [heading, commands] of groups) {
    program.commandsGroup(heading)
    for (const [name, load] of Object.entries(commands)) {
      if (isKnown && name !== requested) continue
      const add = await load()
      add(program, () => createProgram())
    }
  }
  return program
}
