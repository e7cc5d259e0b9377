import { recipeScenarios } from './scenarios-recipes.ts'
import { testScenarios } from './test-scenarios.ts'

testScenarios(recipeScenarios)
