import { Command } from 'commander'
import { version } from '../config/version.ts'
import { styleText } from './terminal/styles.ts'
import { withUsageExitCode } from './terminal/usage-error.ts'

/** The command line without its commands. */
export function createBaseProgram(): Command {
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
  // Commands that are added later inherit this: every error of the parser means that nothing was done.
  return withUsageExitCode(program)
}
