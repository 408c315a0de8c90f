// JSON that is written by hand.

import { ApiError, AS_IT_IS } from './api.js';
import { t } from './language.js';

export function readJson(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ApiError(422, t('noJson', { why: error.message }), AS_IT_IS);
  }
}
