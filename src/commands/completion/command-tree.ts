import type { Command } from 'commander'

/** What can follow one command on the command line. */
export interface CommandWords {
  /** The words of the command after the name of the program, such as `token create`. */
  readonly path: string
  readonly description: string
  readonly commands: readonly { readonly name: string; readonly description: string }[]
  readonly options: readonly { readonly name: string; readonly description: string; readonly takesValue: boolean }[]
}

/** Lists the program and all commands below it, parents first. */
export function listCommandWords(command: Command, path = ''): CommandWords[] {
  const help = command.createHelp()
  const children = help.visibleCommands(command)
  const options = help
    .visibleOptions(command)
    .flatMap((option) =>
      option.long === undefined || option.long === null
        ? []
        : [{ name: option.long, description: option.description, takesValue: option.required || option.optional }],
    )
  const commands = children.map((child) => ({ name: child.name(), description: help.subcommandDescription(child) }))
  const own = { path, description: help.subcommandDescription(command), commands, options }
  const below = children
    .filter((child) => child.name() !== 'help')
    .flatMap((child) => listCommandWords(child, `${path} ${child.name()}`.trim()))
  return [own, ...below]
}
