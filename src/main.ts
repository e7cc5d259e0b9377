#!/usr/bin/env node
import { createProgram } from './commands/program.ts'

const [command = 'serve', ...options] = process.argv.slice(2)
const program = await createProgram(command)
await program.parseAsync([command, ...options], { from: 'user' })
