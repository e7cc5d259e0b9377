#!/usr/bin/env node
import { Command } from 'commander'
import { version } from './config/version.ts'

type Add = (program: Command) => void

/** Only the command that is asked for is loaded: most of them need little of what the daemon does. */
const commands: Readonly<Record<string, () => Promise<Add>>> = {
  serve: async () => (await import('./commands/serve.ts')).addServeCommand,
  doctor: async () => (await import('./commands/doctor/doctor.ts')).addDoctorCommand,
  teach: async () => (await import('./commands/teach/teach.ts')).addTeachCommand,
  practise: async () => (await import('./commands/practise.ts')).addPractiseCommand,
  run: async () => (await import('./commands/abilities/run.ts')).addRunCommand,
  abilities: async () => (await import('./commands/abilities/abilities.ts')).addAbilitiesCommand,
  devices: async () => (await import('./commands/devices.ts')).addDevicesCommand,
  exec: async () => (await import('./commands/exec.ts')).addExecCommand,
  snapshot: async () => (await import('./commands/snapshot.ts')).addSnapshotCommand,
  screenshot: async () => (await import('./commands/screenshot.ts')).addScreenshotCommand,
  recordings: async () => (await import('./commands/recordings.ts')).addRecordingsCommand,
  recipes: async () => (await import('./commands/recipes.ts')).addRecipesCommand,
  skills: async () => (await import('./commands/skills/skills.ts')).addSkillsCommand,
  'agent-skills': async () =>
    (await import('./commands/doctor/agent-skills.ts')).addAgentSkillsCommand,
  token: async () => (await import('./commands/token.ts')).addTokenCommand,
  backup: async () => (await import('./commands/backup.ts')).addBackupCommand,
  openapi: async () => (await import('./commands/openapi.ts')).addOpenApiCommand,
}

const program = new Command('apprentice')
  .description('The control plane where people teach agents.')
  .version(version)

const asked = commands[process.argv[2] ?? 'serve']
for (const load of asked === undefined ? Object.values(commands) : [asked]) {
  const add = await load()
  add(program)
}
await program.parseAsync()
