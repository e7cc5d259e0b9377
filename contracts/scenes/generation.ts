import { z } from 'zod'
import { SceneEvidence } from './analysis.ts'
import { ReportColumnType } from './artifact.ts'
import { SceneId, SceneName, SceneVersion } from './manifest.ts'

const words = (max: number) => z.string().max(max).regex(/\S/, 'must not be blank')
const keywords = z.array(words(80)).min(1).max(50)

/** How the values of a control of the page are named in instructions. */
export const SceneParamAnswer = z.strictObject({
  dictionary: words(200).optional().describe('The name of a dictionary that the analysis lists'),
  pattern: words(500).optional().describe('A pattern of the literal values'),
  example: words(80).optional().describe('A value that fits the pattern'),
})

/** What a person knows and the folder does not say. */
export const SceneAnswers = z
  .strictObject({
    id: SceneId.optional(),
    tool: SceneName.optional(),
    version: SceneVersion.optional(),
    title: words(120).optional(),
    target_url: z
      .url({ protocol: /^https?$/ })
      .max(2000)
      .optional(),
    page_title_keywords: keywords.optional(),
    include_keywords: keywords.optional(),
    exclude_keywords: keywords.optional(),
    request: words(2000).optional().describe('The url of the request that loads the rows, as the analysis lists it'),
    rows_path: z.string().max(400).optional(),
    table: z.int().min(0).optional().describe('The place of the table in the list of the analysis, from 0'),
    columns: z
      .array(z.strictObject({ key: words(200), label: words(200), type: ReportColumnType.default('text') }))
      .min(1)
      .max(200)
      .optional(),
    constants: z.record(z.string().max(200), z.string().max(2000)).optional().describe('Values of parameters by name'),
    params: z.record(z.string().max(200), SceneParamAnswer).optional().describe('By the key of the control'),
    stand_in: z.boolean().default(false).describe('Put the files of the folder into the package as its stand-in'),
  })
  .meta({ id: 'SceneAnswers' })
export type SceneAnswers = z.infer<typeof SceneAnswers>

/** Why a package is not ready. */
export const SceneRefusal = z
  .object({
    rule: z.string().max(80),
    reason: z.string().max(400),
    answer: z.string().max(200).optional().describe('The key of the answers that settles it'),
    evidence: z.array(SceneEvidence),
  })
  .meta({ id: 'SceneRefusal' })
export type SceneRefusal = z.infer<typeof SceneRefusal>

export const GeneratedSceneFile = z.object({ path: z.string().max(400), content: z.string() })
export type GeneratedSceneFile = z.infer<typeof GeneratedSceneFile>

/** A package as files. `ready` only if nothing was refused; otherwise its manifest is `scene.draft.toml`. */
export interface GeneratedScene {
  readonly id: string
  readonly ready: boolean
  readonly refusals: readonly SceneRefusal[]
  readonly example_instruction: string
  /** The test of the script as one program that reads no files. */
  readonly test_program: string
  readonly files: readonly GeneratedSceneFile[]
}
