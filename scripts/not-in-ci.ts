/** Put by the build in the place of `is-in-ci`. */
export default false;
