import { createProgram } from './commands/program.ts'

const [command = 'serve', ...options] = process.argv.slice(2)
void createProgram(command).then((program) => program.parseAsync([command, ...options], { from: 'user' }))
