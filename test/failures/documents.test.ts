import { documentScenarios } from './scenarios-documents.ts'
import { testScenarios } from './test-scenarios.ts'

testScenarios(documentScenarios)
