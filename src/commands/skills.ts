import type { Command } from 'commander'
import { addSkillTransferCommands } from './skill-transfers.ts'

export function addSkillsCommand(program: Command): void {
  const skills = program.command('skills').description('bring skills in and out')
  addSkillTransferCommands(skills)
}
