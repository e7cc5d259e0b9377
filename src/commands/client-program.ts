import { createBaseProgram } from './base-program.ts'
import { CLIENT_COMMANDS } from './client-commands.ts'

/** Runs the command if it is one of a client. Otherwise returns false, and the whole program has to be loaded. */
export function runClientCommand([name = '', ...options]: readonly string[]): boolean {
  if (!isClientCommand(name)) return false
  void run(name, options)
  return true
}

type ClientCommand = keyof typeof CLIENT_COMMANDS

const isClientCommand = (name: string): name is ClientCommand => Object.hasOwn(CLIENT_COMMANDS, name)

async function run(name: ClientCommand, options: readonly string[]): Promise<void> {
  const program = createBaseProgram()
  const add = await CLIENT_COMMANDS[name]()
  add(program)
  await program.parseAsync([name, ...options], { from: 'user' })
}
