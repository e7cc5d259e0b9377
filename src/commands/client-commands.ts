import type { Command } from 'commander'

export type LoadCommand = () => Promise<(program: Command) => void>

/** Commands that need little or nothing of the daemon's code. Most of them are clients of the HTTP API. */
export const CLIENT_COMMANDS = {
  teach: async () => (await import('./teach/teach.ts')).addTeachCommand,
  practise: async () => (await import('./practise.ts')).addPractiseCommand,
  run: async () => (await import('./abilities/run.ts')).addRunCommand,
  abilities: async () => (await import('./abilities/abilities.ts')).addAbilitiesCommand,
  devices: async () => (await import('./devices/devices.ts')).addDevicesCommand,
  exec: async () => (await import('./exec.ts')).addExecCommand,
  snapshot: async () => (await import('./snapshot.ts')).addSnapshotCommand,
  screenshot: async () => (await import('./screenshot.ts')).addScreenshotCommand,
  recordings: async () => (await import('./recordings.ts')).addRecordingsCommand,
  skills: async () => (await import('./skills/skills.ts')).addSkillsCommand,
  scenes: async () => (await import('./scenes/scenes.ts')).addScenesCommand,
  recipes: async () => (await import('./recipes.ts')).addRecipesCommand,
  mcp: async () => (await import('./mcp.ts')).addMcpCommand,
  open: async () => (await import('./open.ts')).addOpenCommand,
  hosts: async () => (await import('./hosts.ts')).addHostsCommand,
  token: async () => (await import('./token.ts')).addTokenCommand,
  events: async () => (await import('./events.ts')).addEventsCommand,
  logins: async () => (await import('./logins.ts')).addLoginsCommand,
  policy: async () => (await import('./policy.ts')).addPolicyCommand,
  approvals: async () => (await import('./approvals.ts')).addApprovalsCommand,
  connectors: async () => (await import('./connectors/connectors.ts')).addConnectorsCommand,
  documents: async () => (await import('./documents.ts')).addDocumentsCommand,
  vault: async () => (await import('./vault.ts')).addVaultCommand,
} satisfies Readonly<Record<string, LoadCommand>>
