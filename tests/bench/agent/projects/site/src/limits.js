export const MAX_NAME = 80;
export const MAX_MESSAGE = 2000;
