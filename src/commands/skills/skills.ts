import type { Command } from 'commander'
import { addSkillTransferCommands } from './skill-transfers.ts'
import { addSkillsRunCommand } from './skills-run.ts'
import { addCompileSkill } from './compile.ts'
import { addFindSkills } from './find.ts'
import { addIndexSkills } from './indexes.ts'
import { addNewSkill } from './new.ts'
import { addValidateSkills } from './validate.ts'

/** Each adds its own sub-commands; further ones are added here. */
const parts: readonly ((skills: Command) => void)[] = [
  addFindSkills,
  addNewSkill,
  addValidateSkills,
  addCompileSkill,
  addIndexSkills,
  addSkillsRunCommand,
  addSkillTransferCommands,
]

export function addSkillsCommand(program: Command): void {
  const skills = program
    .command('skills')
    .description('folders with skills: find, begin, check, compile, index, run, import, export')
  for (const add of parts) add(skills)
}
