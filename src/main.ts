import { createProgram } from './commands/program.ts'

/** A function, because the build makes a script, which cannot wait at its top level. */
async function main([command, ...options]: readonly string[]): Promise<void> {
  const program = await createProgram(command)
  if (command === undefined) program.outputHelp()
  else await program.parseAsync([command, ...options], { from: 'user' })
}

void main(process.argv.slice(2))
