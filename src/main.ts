import { createProgram } from './commands/program.ts'

const [command, ...options] = process.argv.slice(2)
void createProgram(command).then(async (program) => {
  if (command === undefined) program.outputHelp()
  else await program.parseAsync([command, ...options], { from: 'user' })
})
