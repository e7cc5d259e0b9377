import { Argument, type Command } from 'commander'
import { listCommandWords } from './command-tree.ts'
import { formatCompletion, type Shell, SHELLS } from './scripts.ts'

/** The commands are described by the whole program, which is loaded only for this command. */
export function addCompletionCommand(program: Command, loadProgram: () => Promise<Command>): void {
  program
    .command('completion')
    .summary('print a script that completes commands in a shell')
    .description(
      'Prints a script for a shell. For bash and zsh, add a line to the start-up file of the shell:\n' +
        '  source <(apprentice completion bash)',
    )
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action(async (shell: Shell) => {
      process.stdout.write(formatCompletion(shell, listCommandWords(await loadProgram())))
    })
}
