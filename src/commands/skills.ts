import type { Command } from 'commander'
import { addSkillTransferCommands } from './skill-transfers.ts'
import { addSkillsRunCommand } from './skills-run.ts'

export function addSkillsCommand(program: Command): void {
  const skills = program.command('skills').description('run skills, bring them in and out')
  addSkillsRunCommand(skills)
  addSkillTransferCommands(skills)
}
