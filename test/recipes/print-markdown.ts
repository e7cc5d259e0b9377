import { stringify } from 'yaml'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'

/** A recipe as people read it; parsing it makes the same recipe again. */
export function recipeMarkdown({ steps, ...fields }: Recipe): string {
  const sections = steps.map((step, at) =>
    [`## Step ${at + 1}: ${step.id}`, '', ...fenced(yamlOf(step))].join('\n'),
  )
  return [`---\n${yamlOf(fields)}---`, `# ${fields.recipe_id}`, ...sections].join('\n\n') + '\n'
}

/** Without folding or block texts: a text inside never looks like the end of what holds it. */
function yamlOf(value: object): string {
  return stringify(value, {
    version: '1.2',
    schema: 'core',
    aliasDuplicateObjects: false,
    blockQuote: false,
    lineWidth: 0,
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  })
}

function fenced(yaml: string): string[] {
  return ['```yaml', yaml.trimEnd(), '```']
}
