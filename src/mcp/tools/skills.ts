import { z } from 'zod'
import { Serial } from '@apprentice/contracts/devices/device.ts'
import { listSkills as listAllSkills, searchSkills } from '@apprentice/contracts/skills/registry.ts'
import {
  cancelSkillRun,
  getSkillRun,
  runSkill as startSkill,
  SkillId,
  SkillRunOutcome,
  SkillRunState,
  streamSkillRunEvents,
} from '@apprentice/contracts/skills/runs.ts'
import { ACTS_ON_PHONE, defineTool, READ_ONLY, type Tool } from '../tool/tool.ts'
import { followWork } from './follow-work.ts'

const PAGE_SIZE = 50
const MAX_PAGE = 20

const listSkills = defineTool({
  name: 'list_skills',
  title: 'List skills',
  description: 'Lists skills whose scripts the daemon can run, or searches them by words.',
  input: z.object({
    words: z.string().min(1).max(200).optional(),
    page: z.int().min(1).max(MAX_PAGE).default(1),
  }),
  output: z.object({
    skills: z.array(z.object({ skill_id: z.string(), summary: z.string() })),
    total: z.int(),
    next_page: z.int().optional(),
  }),
  annotations: READ_ONLY,
  run: async ({ words, page }, { call }) => {
    const from = (page - 1) * PAGE_SIZE
    const { skills, count } = await (words === undefined
      ? call(listAllSkills, { query: { page, page_size: PAGE_SIZE } })
      : search(words))
    const isLast = page === MAX_PAGE || from + PAGE_SIZE >= count
    return {
      structured: { skills: skills.map(summarizeSkill), total: count, ...(isLast ? {} : { next_page: page + 1 }) },
    }
    /** The search returns the best matches, so a page is the end of a longer list. */
    async function search(keyword: string) {
      const found = await call(searchSkills, { query: { keyword, limit: from + PAGE_SIZE } })
      return { skills: found.skills.slice(from), count: found.count }
    }
  },
})

const summarizeSkill = ({ id, summary }: { readonly id: string; readonly summary: string }) => ({
  skill_id: id,
  summary,
})

const runSkill = defineTool({
  name: 'run_skill',
  title: 'Run a skill',
  description: 'Runs the script of a skill and waits for its end.',
  input: z.object({
    skill_id: SkillId,
    arguments: z.array(z.string().max(4000)).max(40).default([]),
    serial: Serial.optional(),
  }),
  output: z.object({ run_id: z.string(), state: SkillRunState, outcome: SkillRunOutcome.optional() }),
  annotations: ACTS_ON_PHONE,
  run: async ({ skill_id, serial, arguments: args }, context) => {
    const { call } = context
    const started = await call(startSkill, { params: { skillId: skill_id }, body: { args, serial } })
    const params = { runId: started.run.run_id }
    await followWork(context, {
      stream: streamSkillRunEvents,
      params,
      cancel: () => call(cancelSkillRun, { params }),
    })
    const { run } = await call(getSkillRun, { params })
    const { run_id, state, outcome } = run
    return { structured: { run_id, state, ...(outcome === undefined ? {} : { outcome }) } }
  },
})

export const skillTools: readonly Tool[] = [listSkills, runSkill]
